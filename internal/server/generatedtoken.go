package server

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"savedq/internal/auth"
	"savedq/internal/files/secretfile"
)

const (
	// generatedTokenFile is the file in the data directory with the token that a server generated.
	generatedTokenFile = "generated-token"
	// ownerOnlyFile and ownerOnlyDirectory are modes without permissions for others.
	ownerOnlyFile, ownerOnlyDirectory fs.FileMode = 0o600, 0o700
	// permissionsOfOthers are the bits that the mode of the file must not have.
	permissionsOfOthers fs.FileMode = 0o077
)

// generatedToken returns the token that a data directory holds, and the path of its file. It
// generates and stores one if there is none.
func generatedToken(directory string, random io.Reader) (secret, path string, err error) {
	path = filepath.Join(directory, generatedTokenFile)
	secret, err = readGeneratedToken(path)
	if errors.Is(err, fs.ErrNotExist) {
		if secret, err = auth.New(random); err == nil {
			err = writeGeneratedToken(path, secret)
		}
	}
	if err != nil {
		return "", "", fmt.Errorf("the token in %s cannot be used: %w", path, err)
	}
	return secret, path, nil
}

func readGeneratedToken(path string) (string, error) {
	content, _, err := secretfile.Read(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if mode := info.Mode(); mode&permissionsOfOthers != 0 {
		return "", fmt.Errorf("others can read it, because it has the mode %04o; delete it, and the server generates another one", mode.Perm())
	}
	secret := strings.TrimSpace(string(content))
	if !auth.IsSecret(secret) {
		return "", errors.New("it is not a token that the server generated; delete it, and the server generates another one")
	}
	return secret, nil
}

func writeGeneratedToken(path, secret string) error {
	if err := os.MkdirAll(filepath.Dir(path), ownerOnlyDirectory); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownerOnlyFile)
	if err != nil {
		return err
	}
	_, err = file.WriteString(secret + "\n")
	return errors.Join(err, file.Close())
}
