// Package deploy holds what it takes to run the server elsewhere: an image, a unit of
// systemd, alerts and a dashboard. There is no code in it but the tests of these.
package deploy
