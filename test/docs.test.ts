import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { noFolder } from '../src/catalogue/config-file/config-folder.ts'
import { parseConfig } from '../src/catalogue/config-file/parse.ts'

const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' }).map((path) => `docs/${path}`),
].filter((path) => path.endsWith('.md'))
const env = {
  PING_KEY: '0123456789abcdef',
  SHOP_TOKEN: 'a',
  BACKUP_TOKEN: '0123456789abcdef',
  SLACK_URL: 'https://hooks.slack.example/services/T0/B0/abcdef',
  DISCORD_URL: 'https://discord.example/api/webhooks/1/abcdef',
  DEAD_MAN_URL: 'https://dead-man.example/abcdef',
  PAGERDUTY_KEY: '0123456789abcdef0123456789abcdef',
  MAIL_PASSWORD: 'abcdef',
  TELEGRAM_TOKEN: `123456:${'a'.repeat(35)}`,
  WEBHOOK_SECRET: `whsec_${'MfKQ'.repeat(8)}`,
}

const folder = { ...noFolder, secretText: () => 'a-secret-of-a-file' }

const blocks = pages.flatMap((page) => [...read(page).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => ({ page, text })))

test.each(blocks.filter(({ text }) => text.includes('accounts:')))('a config file in $page is valid', ({ text }) => {
  expect(parseConfig(text, env, { folder })).toHaveProperty('config')
})

test.each(pages)('every page that %s links to exists', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(([, link = '']) => link)
  for (const link of links) expect(() => readdirOrFile(new URL(link, new URL(page, root))), `${page} → ${link}`).not.toThrow()
})

test.each(pages)('every section that %s links to exists', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)]
  const missing = links.filter(([, link = '', section = '']) => {
    const place = new URL(link === '' ? page : link, link === '' ? root : new URL(page, root))
    return place.pathname.endsWith('.md') && !sectionsOf(readFileSync(place, 'utf8')).includes(section)
  })
  expect(missing.map(([text]) => text)).toEqual([])
})

const sources = ['src', 'test', 'scripts', 'bench'].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' }).map((path) => `/${folder}/${path}`),
)

const isOfOurs = /^(src|test|scripts|bench)\/|^[\w*<][\w.*<>{},/-]*\.(tsx?|mjs)$/

test.each(pages.filter((page) => /architecture|CONTRIBUTING|decisions/.test(page)))('every source file that %s mentions exists', (page) => {
  const named = [...read(page).matchAll(/`([^`\s]+)`/g)].map(([, path = '']) => path).filter((path) => isOfOurs.test(path))
  expect(named.flatMap(expanded).filter((path) => !sources.some((source) => matchesPath(source, path)))).toEqual([])
})

/** `a/{b,c}.ts` as two paths. */
function expanded(path: string): readonly string[] {
  const [, before = '', choices = '', after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? []
  return choices === '' ? [path] : choices.split(',').map((choice) => `${before}${choice}${after}`)
}

/** Whether a source ends with a path, in which `*` and `<type>` stand for any name. */
function matchesPath(source: string, path: string): boolean {
  const pattern = path
    .replace(/\/$/, '')
    .replaceAll('.', '\\.')
    .replace(/\*|<\w+>/g, '[^/]+')
  return new RegExp(`/${pattern}$`).test(source)
}

/** The anchors that GitHub gives the headings of a page. */
function sectionsOf(text: string): readonly string[] {
  const headings = text.replace(/```[\s\S]*?```/g, '').matchAll(/^#+ (.*)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function readdirOrFile(place: URL): void {
  try {
    readFileSync(place)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error
  }
}
