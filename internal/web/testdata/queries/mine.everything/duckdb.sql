SELECT date_trunc('hour', $now::TIMESTAMP) - to_hours(h::INT) AS hour,
  (h * 7919 % 100)::BIGINT AS count,
  CASE WHEN h % 5 = 0 THEN NULL ELSE h % 7 END::BIGINT AS errors,
  100 * abs(sin(h / 5.0)) + $share AS latency,
  CASE WHEN h % 9 = 0 THEN NULL ELSE 20 * cos(h / 7.0) END AS change,
  $all OR h % 2 = 0 AS ok,
  ($now::TIMESTAMP)::DATE - h::INT AS day,
  CASE WHEN $all THEN h ELSE $big + h END AS big,
  CASE h % 3 WHEN 0 THEN '' WHEN 1 THEN NULL ELSE 'note ' || h || $kind || $order || $project END AS note,
  CASE h % 3 WHEN 0 THEN []::VARCHAR[] ELSE list_concat($paths, $methods) END AS labels,
  CASE h % 4 WHEN 0 THEN NULL ELSE {'city': 'Bonn', 'point': {'lat': 50.7, 'seen_at': coalesce($since, $now::TIMESTAMP)}} END AS place,
  CASE h % 3 WHEN 1 THEN [] ELSE [{'sku': 'a' || h, 'tags': ['x', NULL]}, {'sku': NULL, 'tags': []}] END AS items,
  '{"n": [1, 2, {"deep": null}], "e": {}}'::JSON AS extra
FROM range(0, 500) t(h)
WHERE h < $hours AND (len($numbers) = 0 OR list_contains($numbers, h)) AND coalesce($first_day, DATE '2020-01-01') <= DATE '2100-01-01'
ORDER BY hour
