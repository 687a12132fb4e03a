# Prints the results of the benchmarks as a table: each with the implementation that it is
# compared with, and their ratio.
BEGIN {
	print "| benchmark | beside | savedq | ratio | p99 ratio | allocations |"
	print "|---|---|---|---|---|---|"
}
/^Benchmark/ {
	name = $1
	sub(/^Benchmark/, "", name)
	sub(/-[0-9]+$/, "", name)
	beside = ours = ratio = tail = allocations = ""
	for (i = 3; i < NF; i += 2) {
		unit = $(i + 1)
		if (unit == "ratio") ratio = $i
		else if (unit == "p99-ratio") tail = $i
		else if (unit == "allocs/op") allocations = $i
		else if (unit ~ /^savedq/) { ours = $i (unit ~ /\/s$/ ? " /s" : " ms") }
		else if (unit ~ /(\/s|-ms)$/) { split(unit, part, /[\/-]/); beside = part[1] " " $i (unit ~ /\/s$/ ? " /s" : " ms") }
	}
	print "| " name " | " beside " | " ours " | " ratio " | " tail " | " allocations " |"
}
/^(cpu|FAIL|---|panic)/ { print > "/dev/stderr" }
