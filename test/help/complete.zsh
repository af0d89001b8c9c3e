# Types each line of stdin into an interactive zsh, presses Tab, and prints what the line became.
# usage: zsh -f complete.zsh SCRIPT…
zmodload zsh/zpty
out=$(mktemp)
zpty typed zsh -f -i
# the terminal must be read, or zsh waits; once the result is there, it is complete
result() {
  repeat 1000; do
    zpty -r -t typed discarded
    [[ -s $out ]] && break
    sleep 0.01
  done
  cat $out
  : > $out
}
zpty -w typed 'PS1= PS2=; autoload -U compinit; compinit -u -D'
for script in $@; do zpty -w typed "source ${(q)script}"; done
zpty -w typed "dump() { print -r -- \$BUFFER > ${(q)out}; BUFFER= }; zle -N dump; bindkey '^T' dump; print ready > ${(q)out}"
[[ $(result) == ready ]] || exit 1
while IFS= read -r line; do
  zpty -w -n typed "$line"$'\t\x14'
  result
done
zpty -d typed
rm $out
