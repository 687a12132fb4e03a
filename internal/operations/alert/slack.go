package alert

import "strings"

// slackMessage is a message of Slack's incoming webhooks: text for notifications, and blocks.
type slackMessage struct {
	Text   string       `json:"text"`
	Blocks []slackBlock `json:"blocks"`
}

type slackBlock struct {
	Type string    `json:"type"`
	Text slackText `json:"text"`
}

type slackText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

const (
	// mostSlackText is below Slack's limit of a text, 3,000 characters, and leaves room for the rest.
	mostSlackText = 2800
	fence         = "```"
)

func slackOf(message *Message) slackMessage {
	section := func(text string) slackBlock {
		return slackBlock{Type: "section", Text: slackText{Type: "mrkdwn", Text: text}}
	}
	headline := slackEscape(message.headline())
	details := cutText(slackEscape(message.details()))
	if message.Link != "" {
		details += "\n<" + slackEscape(message.Link) + "|Open in savedq>"
	}
	blocks := []slackBlock{section("*" + cutText(headline) + "*\n" + details)}
	if len([]rune(blocks[0].Text.Text)) > mostSlackText {
		blocks = []slackBlock{section("*" + cutText(headline) + "*"), section(details)}
	}
	if rows := message.rowLines(); rows != "" {
		rows = strings.ReplaceAll(slackEscape(rows), fence, "'''")
		blocks = append(blocks, section(fence+cutText(rows)+fence))
	}
	return slackMessage{Text: cutText(headline), Blocks: blocks}
}

// slackEscape escapes the characters that begin links, mentions and entities.
func slackEscape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// cutText cuts a text to mostSlackText characters, and not within an entity.
func cutText(text string) string {
	characters := []rune(text)
	if len(characters) <= mostSlackText {
		return text
	}
	cut := string(characters[:mostSlackText-1])
	if entity := strings.LastIndexByte(cut, '&'); entity >= 0 && !strings.Contains(cut[entity:], ";") {
		cut = cut[:entity]
	}
	return cut + "…"
}
