// @slow
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/catalogue/open.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { environmentLine } from '../../src/cli/convert/written-text.ts'
import { configuredFolder, tidemark } from '../support/command.ts'
import { anyRunType, exampleCheck, pingToken } from '../support/example-config.ts'
import { newKey, serve } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const [first, second] = checkTypes.map(({ path }) => path)
if (!first || !second) throw new Error('there are too few check types')

const nameOf = (config: string, wanted: string): string =>
  JSON.parse(config).accounts[0].checks.find(({ id }: { id: string }) => id === wanted).name

/** How a shell parses a file of variables. */
function shellVariables(file: string): Record<string, string> {
  const script = `set -a; . "$1"; exec env -0`
  const lines = execFileSync('sh', ['-c', script, 'sh', file], { env: {}, encoding: 'utf8' }).split('\0')
  return Object.fromEntries(lines.filter(Boolean).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

test('a shell reads the values of variables unchanged', () => {
  const file = join(temporaryFolder(), 'managed.env')
  const values = { A: "it's", B: '$HOME `id` "x" \\', C: 'two\nlines\n', D: '', E: '\u2028 ü 🙂' }
  writeFileSync(
    file,
    Object.entries(values)
      .map(([name, value]) => environmentLine(name, value))
      .join(''),
  )
  expect(shellVariables(file)).toMatchObject(values)
})

test('checks move from the file to the server, and can be exported to a file with the same checks', async () => {
  const folder = configuredFolder({ allowUploadedCode: true })
  const file = join(folder, 'tidemark.yaml')
  const key = await newKey(folder, 'read,write')
  const original = readFileSync(file, 'utf8')
  const before = (await readConfig(file, {})).checks.map(({ id, fingerprint }) => `${id} ${fingerprint}`)
  const server = await serve(folder, { key })
  const remote = ['--url', server.url, '--key', key, '--account', 'acme']
  try {
    const some = await tidemark(folder, 'config', 'adopt', ...remote, '--checks', `${first},${second}`)
    expect(some).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('2 checks are managed') })
    expect((await readConfig(file, {})).checks.map(({ id }) => id)).not.toContain(first)
    const again = await tidemark(folder, 'config', 'adopt', ...remote, '--checks', first)
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`managed before: ${first}`) })
    const missing = await tidemark(folder, 'config', 'adopt', ...remote, '--checks', `nowhere,${first}`)
    expect(missing).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/not found in the file: nowhere$/m) })
    const left = readFileSync(file, 'utf8')
    const withFirst = (name: string) => {
      const config = parse(left)
      const [only] = config.accounts
      const entry = { ...JSON.parse(original).accounts[0].checks.find(({ id }: { id: string }) => id === first), name }
      return JSON.stringify({ ...config, accounts: [{ ...only, checks: [...only.checks, entry] }] })
    }
    writeFileSync(file, withFirst('Another'))
    const differs = await tidemark(folder, 'config', 'adopt', ...remote, '--checks', first)
    expect(differs).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('with another definition') })
    expect(readFileSync(file, 'utf8')).toBe(withFirst('Another'))
    writeFileSync(file, withFirst(nameOf(original, first)))
    expect(await tidemark(folder, 'config', 'adopt', ...remote, '--checks', first)).toMatchObject({ exitCode: 0 })
    expect((await tidemark(folder, 'config', 'adopt', ...remote, '--all')).exitCode).toBe(0)
    expect((await readConfig(file, {})).checks).toEqual([])
    const found = await fetch(`${server.url}/v1/checks?limit=100`, { headers: server.headers })
    expect(((await found.json()) as readonly { readonly id: string }[]).map(({ id }) => id).toSorted()).toEqual(
      checkTypes.map(({ path }) => path).toSorted(),
    )
    const copies = temporaryFolder()
    const [copy, variables] = [join(copies, 'tidemark.yaml'), join(copies, 'managed.env')]
    const listed = await tidemark(folder, 'config', 'export')
    expect(listed.stderr).toContain('_TOKEN: set this variable')
    const exported = await tidemark(folder, 'config', 'export', '--env', variables)
    expect(exported).toMatchObject({ exitCode: 0, stderr: '', stdout: listed.stdout })
    expect(exported.stdout).not.toContain(pingToken)
    expect(statSync(variables).mode & 0o777).toBe(0o600)
    expect(await tidemark(folder, 'config', 'export', '--env', variables)).toMatchObject({ exitCode: 1, stdout: '' })
    writeFileSync(copy, exported.stdout)
    expect(
      (await readConfig(copy, shellVariables(variables))).checks.map(({ id, fingerprint }) => `${id} ${fingerprint}`).toSorted(),
    ).toEqual(before.toSorted())
  } finally {
    await server.kill()
  }
}, 120_000)

test('checks that the file references by id stay in it, and nothing changes', async () => {
  const slo = { id: 'shop', name: 'Shop', checks: [first], objective: { kind: 'availability', target: 99 }, window: '30d' }
  const folder = configuredFolder()
  const file = join(folder, 'tidemark.yaml')
  const config = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...config, accounts: [{ ...config.accounts[0], slos: [slo] }] }))
  const text = readFileSync(file, 'utf8')
  const refused = await tidemark(
    folder,
    'config',
    'adopt',
    '--url',
    'http://127.0.0.1:9',
    '--key',
    'k',
    '--account',
    'acme',
    '--checks',
    first,
  )
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Refer to checks by tag') })
  expect(readFileSync(file, 'utf8')).toBe(text)
})

const { id: _, name: __, tags: ___, ...settings } = exampleCheck(anyRunType())
/** An entry of `checks` on one line. */
const entry = (id: string, name: string) => `{ id: "${id}", name: "${name}", ${JSON.stringify(settings).slice(1, -1)} }`

test('checks of groups, forEach and included files move as well, and an interrupted adoption is resumed', async () => {
  const folder = temporaryFolder()
  const files = {
    'tidemark.yaml': `# The config file.
accounts:
  - id: acme
    name: Acme
    include: [checks.d/*]
    groups:
      - id: web
        defaults: { tags: [web], timeout: 5s } # of web
        checks:
          - ${entry('in-group', 'In a group')}
          # All hosts:
          - ${entry(`on-\${each.host}`, `Host \${each.host}`).replace('{', '{ forEach: [{ host: a }, { host: b }],')}
`,
    'checks.d/shop.yaml': `# The shop.\nchecks:\n  - ${entry('included', 'Included')}\n  - ${entry('stays', 'Stays')}\n`,
  }
  mkdirSync(join(folder, 'checks.d'))
  const write = (name: keyof typeof files) => writeFileSync(join(folder, name), files[name])
  const read = (name: keyof typeof files) => readFileSync(join(folder, name), 'utf8')
  write('checks.d/shop.yaml')
  write('tidemark.yaml')
  const key = await newKey(folder, 'read,write')
  files['tidemark.yaml'] = read('tidemark.yaml')
  const server = await serve(folder, { key })
  const adopt = () => {
    const remote = ['--url', server.url, '--key', key, '--account', 'acme']
    return tidemark(folder, 'config', 'adopt', ...remote, '--checks', 'in-group,on-b,included')
  }
  const checks = async () => {
    const found = await fetch(`${server.url}/v1/check-definitions?limit=100`, { headers: server.headers })
    const list = (await found.json()) as readonly { readonly id: string; readonly managedVersion: number | null }[]
    return list.map(({ id, managedVersion }) => `${id} ${managedVersion === null ? 'file' : 'managed'}`).toSorted()
  }
  const moved = ['in-group managed', 'included managed', 'on-a managed', 'on-b managed', 'stays file']
  try {
    expect(await adopt()).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringMatching(/^4 checks are managed .*tidemark.yaml, checks.d\/shop.yaml.\n.*: on-a\.\n.*: web\.\n$/),
    })
    await expect.poll(checks).toEqual(moved)
    expect(read('checks.d/shop.yaml')).toBe(files['checks.d/shop.yaml'].replace(/ {2}- \{ id: "included.*\n/, ''))
    expect(read('tidemark.yaml')).toBe(files['tidemark.yaml'].replace(/ {10}- \{.*\n/g, '').replace('checks:\n', 'checks: []\n'))
    const web = await fetch(`${server.url}/v1/checks/in-group`, { headers: server.headers })
    expect(await web.json()).toMatchObject({ tags: ['web'], groupId: null })
    for (const left of [['tidemark.yaml', 'checks.d/shop.yaml'], ['checks.d/shop.yaml']] as const) {
      for (const name of left) write(name)
      await expect.poll(checks).toEqual(moved)
      expect(await adopt()).toMatchObject({ exitCode: 0 })
      await expect.poll(checks).toEqual(moved)
      expect(read('checks.d/shop.yaml')).not.toContain('included')
    }
  } finally {
    await server.kill()
  }
}, 120_000)
