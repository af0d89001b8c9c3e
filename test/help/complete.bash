# Prints, for each line of stdin, a line with the words that complete its last word.
# usage: bash complete.bash SCRIPT…
for script; do . "$script"; done
while IFS= read -r line; do
  read -ra COMP_WORDS <<<"${line//=/ = }" # as bash does
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  "_${COMP_WORDS[0]}_yargs_completions" </dev/null
  echo "${COMPREPLY[*]}"
done
