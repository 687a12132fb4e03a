// Package randomcatalog generates random saved queries together with the rows that they
// return, so that tests can compare what an interface responds with what it should. Only
// tests may import it.
package randomcatalog
