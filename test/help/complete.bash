# Prints, for each line of stdin, a line with the words that complete its last word.
# usage: bash complete.bash SCRIPT…
for script; do . "$script"; done
while IFS= read -r line; do
  read -ra COMP_WORDS <<<"$line"
  # a space at the end begins another word; bash splits words at equals signs
  [[ $line == *' ' ]] && COMP_WORDS+=('')
  last=${COMP_WORDS[${#COMP_WORDS[@]}-1]}
  if [[ $last == *=* ]]; then
    unset "COMP_WORDS[${#COMP_WORDS[@]}-1]"
    COMP_WORDS+=("${last%%=*}" = "${last#*=}")
  fi
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  "_${COMP_WORDS[0]//-/_}"
  echo "${COMPREPLY[*]}"
done
