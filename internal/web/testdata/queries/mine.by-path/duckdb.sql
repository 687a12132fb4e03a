SELECT date_trunc('hour', $now::TIMESTAMP) - to_hours(h::INT) AS hour, '/path' || p AS path, (h * p * 37 % 11)::BIGINT AS requests, sin(h + p) * 10 AS latency FROM range(0, 24) t(h), range(1, 4) u(p)
