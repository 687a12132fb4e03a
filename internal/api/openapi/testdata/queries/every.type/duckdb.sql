SELECT
  $text || $shout AS zeta,
  CASE WHEN $flag THEN NULL ELSE 'a' END AS alpha,
  $whole + coalesce($level, 0) AS whole,
  CASE WHEN $flag THEN 'NaN'::DOUBLE ELSE $number END AS number,
  CASE WHEN len($exacts) = 0 THEN $exact END AS exact,
  $flag AS flag,
  coalesce($since + to_seconds($step), $since) AS at,
  TIMESTAMP '2026-11-20 10:00:00.25' AS "local",
  DATE '2026-11-20' AS day,
  '{"nested": [1, null]}'::JSON AS "any"
FROM range(3);
