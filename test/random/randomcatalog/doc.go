// Package randomcatalog generates random saved queries together with the rows that they
// return, so that tests can compare them with the response of an interface. Only tests may
// import it.
package randomcatalog
