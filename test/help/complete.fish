# Prints, for each line of stdin, a line with the words that complete its last word.
# usage: fish --no-config complete.fish SCRIPT…
for script in $argv
    source $script
end
while read --line line
    echo (complete -C "$line" | string split -f 1 \t)
end
