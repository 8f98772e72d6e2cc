import { Argument, Command, Option } from 'commander'
import { expect, test } from 'vitest'
import { bashCompletion } from './bash.ts'
import { commandTree } from './command-tree.ts'
import { fishCompletion } from './fish.ts'
import { zshCompletion } from './zsh.ts'

const program = new Command('watch')
  .version('1.0.0', '-v, --version')
  .addCommand(new Command('key').addCommand(new Command('list').description("What's there: all")))
  .addCommand(
    new Command('run')
      .description('Run it')
      .addArgument(new Argument('<shell>', 'which one').choices(['bash', 'fish']))
      .addOption(new Option('-f, --format <format>', 'the output').choices(['json', "it's"]))
      .option('--out <file>', 'where to')
      .addOption(new Option('--secret').hideHelp())
      .option('-q', 'quiet'),
  )
const tree = commandTree(program)

test('the tree of commands matches their help', () => {
  const help = { names: ['-h', '--help'], description: 'display help for command', takesValue: false, choices: [] }
  const helpCommand = { word: 'help', description: 'display help for command' }
  const ofHelp = { words: [], flags: [] }
  expect(tree).toEqual([
    {
      path: 'watch',
      words: [{ word: 'key', description: '' }, { word: 'run', description: 'Run it' }, helpCommand],
      flags: [{ names: ['-v', '--version'], description: 'output the version number', takesValue: false, choices: [] }, help],
    },
    { path: 'watch key', words: [{ word: 'list', description: "What's there: all" }, helpCommand], flags: [help] },
    { path: 'watch key list', words: [], flags: [help] },
    { path: 'watch key help', ...ofHelp },
    {
      path: 'watch run',
      words: [
        { word: 'bash', description: 'which one' },
        { word: 'fish', description: 'which one' },
      ],
      flags: [
        { names: ['-f', '--format'], description: 'the output', takesValue: true, choices: ['json', "it's"] },
        { names: ['--out'], description: 'where to', takesValue: true, choices: [] },
        { names: ['-q'], description: 'quiet', takesValue: false, choices: [] },
        help,
      ],
    },
    { path: 'watch help', ...ofHelp },
  ])
})

test.each([
  ['bash', bashCompletion],
  ['fish', fishCompletion],
  ['zsh', zshCompletion],
])('the script for %s matches test/golden', async (shell, scriptOf) => {
  await expect(scriptOf(tree)).toMatchFileSnapshot(`../../../test/golden/completion/${shell}.txt`)
})
