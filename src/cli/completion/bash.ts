import { type CommandNode, pathsBelow, shellQuoted } from './command-tree.ts'

/** Values without choices complete as file names, the default of bash. */
export function bashCompletion(tree: readonly CommandNode[]): string {
  const [root] = tree
  const name = root?.path ?? ''
  return `# ${name} completion for bash: source <(${name} completion bash)
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at=${name} words= i
  [[ $cur == = ]] && cur=
  [[ $prev == = ]] && prev=\${COMP_WORDS[COMP_CWORD-2]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${pathsBelow(tree).map(shellQuoted).join(' | ')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at $prev" in
${tree.flatMap(valueCases).join('\n')}
  esac
  case $at in
${tree.map(({ path, words, flags }) => `    ${shellQuoted(path)}) words=${shellQuoted(wordList(words, flags))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _${name} ${name}
`
}

function valueCases({ path, flags }: CommandNode): readonly string[] {
  return flags
    .filter(({ takesValue }) => takesValue)
    .map(({ names, choices }) => {
      const reply = choices.length > 0 ? `COMPREPLY=($(compgen -W ${shellQuoted(choices.join(' '))} -- "$cur")); ` : ''
      return `    ${names.map((flag) => shellQuoted(`${path} ${flag}`)).join(' | ')}) ${reply}return ;;`
    })
}

function wordList(words: CommandNode['words'], flags: CommandNode['flags']): string {
  return [...words.map(({ word }) => word), ...flags.flatMap(({ names }) => names)].join(' ')
}
