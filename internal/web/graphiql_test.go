package web_test

// graphiqlExceptions are of GraphiQL and of its editor, Monaco, whose elements and
// themes are not made here.
var graphiqlExceptions = []exception{ //nolint:gochecknoglobals // A table that is never written.
	{rule: "color-contrast", node: `class="mtk`, reason: "Monaco's theme colours what is typed"},
	{rule: "color-contrast", node: `class="line-numbers`, reason: "Monaco's theme dims the numbers of lines"},
	{rule: "nested-interactive", node: `role="tab" class="graphiql-tab`, reason: "the tab of a document holds the button that closes it"},
}
