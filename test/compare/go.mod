module savedq/test/compare

go 1.26.0
