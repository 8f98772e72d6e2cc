import { type CommandNode, type Flag, pathsBelow, shellQuoted, type Word } from './command-tree.ts'

/** Values without choices complete as file names. */
export function zshCompletion(tree: readonly CommandNode[]): string {
  const [root] = tree
  const name = root?.path ?? ''
  return `#compdef ${name}
# ${name} completion for zsh: source <(${name} completion zsh)
_${name}() {
  local at=${name} previous=\${words[CURRENT-1]}
  local -a subcommands flags
  local -i i
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      (${pathsBelow(tree).map(shellQuoted).join('|')}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at $previous" in
${tree.flatMap(valueCases).join('\n')}
  esac
  case $at in
${tree.map(nodeCase).join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option flags
  elif (( $#subcommands )); then
    _describe command subcommands
  else
    _files
  fi
}
if [[ $funcstack[1] == _${name} ]]; then
  _${name} "$@"
else
  compdef _${name} ${name}
fi
`
}

function valueCases({ path, flags }: CommandNode): readonly string[] {
  return flags
    .filter(({ takesValue }) => takesValue)
    .map(({ names, choices }) => {
      const reply = choices.length > 0 ? `compadd -- ${choices.map(shellQuoted).join(' ')}` : '_files'
      return `    (${names.map((flag) => shellQuoted(`${path} ${flag}`)).join('|')}) ${reply}; return ;;`
    })
}

function nodeCase({ path, words, flags }: CommandNode): string {
  return `    (${shellQuoted(path)}) subcommands=(${words.map(described).join(' ')}) flags=(${flags.flatMap(describedFlag).join(' ')}) ;;`
}

const described = ({ word, description }: Word) => shellQuoted(`${word.replaceAll(':', '\\:')}:${description}`)

const describedFlag = ({ names, description }: Flag) => names.map((word) => described({ word, description }))
