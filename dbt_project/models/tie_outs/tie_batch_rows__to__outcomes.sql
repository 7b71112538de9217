-- Tie-out 9, rows: what the reader counted in a file is what was loaded, found to be a duplicate, quarantined, rejected or set aside by rule
-- of it. The two sides are counted by different programs at different moments: the reader before anything was judged,
-- the outcomes from the accepted rows and the verdicts themselves. Refused files landed nothing and are left out.

{{ batch_comparison('rows', 'rows') }}
