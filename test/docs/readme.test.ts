// @slow
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { needing, programMissing } from '../support/needs.ts'
import { startProgram } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const text = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const program = fileURLToPath(new URL('../../dist/bin.cjs', import.meta.url))
const blocks = (language: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block)
const lines = blocks('sh').flatMap((block) => block.replaceAll('\\\n', '').trim().split('\n'))
const calls = lines.filter((line) => /^(npx tidemark|curl) /.test(line))

const options = { ...needing(await programMissing('curl')), timeout: 120_000 }

test('the commands of README.md work in order', options, async () => {
  const folder = temporaryFolder()
  const site = await startSite()
  writeFileSync(join(folder, 'tidemark.yaml'), blocks('yaml').join('').replaceAll('https://example.com', site))
  const env: Record<string, string> = { SHOP_TOKEN: 'secret', TIDEMARK_ACCOUNT: 'acme' }
  const type = async (line: string) => {
    const typed = line.replace('npx tidemark', `"${process.execPath}" "${program}"`).replace('curl ', 'curl -fsS ')
    const url = env.TIDEMARK_URL ?? ''
    const { stdout } = await promisify(execFile)('sh', ['-c', typed.replace('http://127.0.0.1:8787', url)], {
      cwd: folder,
      env: { ...process.env, ...env },
    })
    return stdout
  }
  const serving = calls.findIndex((line) => line.startsWith('npx tidemark serve'))
  const before = await inOrder(calls.slice(0, serving), type)
  expect(before).toEqual([expect.stringContaining('is valid'), expect.stringContaining('✓ passing'), expect.stringMatching(/^tdm_/)])
  const server = await startProgram(['serve', '--port', '0'], { cwd: folder, env })
  Object.assign(env, { TIDEMARK_URL: server.url, TIDEMARK_KEY: before[2]?.trim() })
  const [report = '', curl = '', many = '', ...others] = calls.slice(serving + 1)
  const table = /^period,responseTime_p95,total,success,availability\r\n.*,100\r\n/
  await expect.poll(() => type(report), { timeout: 60_000 }).toMatch(table)
  const { series } = JSON.parse(await type(curl))
  expect(series).toEqual([{ runLocation: 'eu-west-1', data: [{ runLocation: 'eu-west-1', responseTime_p99: expect.any(Number) }] }])
  expect(await type(many)).toMatch(/^(check,name,)?total,|^availability,duration_p95/)
  expect(others).toEqual([])
})

test('README.md fits on about two screens and shows commands', () => {
  expect(text.split('\n').length).toBeLessThan(120)
  expect(calls.length).toBeGreaterThan(5)
})

async function inOrder(some: readonly string[], type: (line: string) => Promise<string>): Promise<readonly string[]> {
  const said: string[] = []
  for (const line of some) said.push(await type(line))
  return said
}

async function startSite(): Promise<string> {
  const server = createServer((_, response) => response.end('Hello'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
