SELECT ($now::TIMESTAMP)::DATE - d::INT AS day, (d * 37 % 11)::BIGINT AS requests FROM range(0, 90) t(d) WHERE d < $days AND d <> 3
