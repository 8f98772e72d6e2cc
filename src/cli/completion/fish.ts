import { type CommandNode, type Flag, pathsBelow } from './command-tree.ts'

/** Values without choices complete as file names. */
export function fishCompletion(tree: readonly CommandNode[]): string {
  const [root] = tree
  const name = root?.path ?? ''
  return `# ${name} completion for fish: ${name} completion fish | source
function __${name}_at
    set -l at ${name}
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
            case ${pathsBelow(tree).map(quoted).join(' ')}
                set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
${tree.flatMap((node) => completionsOf(name, node)).join('\n')}
`
}

function completionsOf(name: string, { path, words, flags }: CommandNode): readonly string[] {
  const start = `complete -c ${name} -n ${quoted(`__${name}_at "${path}"`)}`
  return [
    ...words.map(({ word, description }) => `${start} -f -a ${quoted(word)} -d ${quoted(description)}`),
    ...flags.map((flag) => `${start} ${flagNames(flag)}${flagValues(flag)} -d ${quoted(flag.description)}`),
  ]
}

function flagNames({ names }: Flag): string {
  return names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(' ')
}

function flagValues({ takesValue, choices }: Flag): string {
  if (choices.length > 0) return ` -x -a ${quoted(choices.join(' '))}`
  return takesValue ? ' -r' : ''
}

/** Single-quoted strings in fish have two escapes. */
const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
