// @slow
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

const script = fileURLToPath(new URL('../../scripts/start-demo.mjs', import.meta.url))
const options = { timeout: 180_000 }

/** As npm starts it: in a shell that passes no signals on. */
async function startAsNpm() {
  const command = `"${process.execPath}" "${script}" --data "${temporaryFolder()}" --port 0; true`
  const shell = spawn('sh', ['-c', command], { env: { ...process.env, npm_lifecycle_event: 'start' }, stdio: ['ignore', 'pipe', 'ignore'] })
  let said = ''
  shell.stdout.setEncoding('utf8').on('data', (piece: string) => {
    said += piece
  })
  onTestFinished(() => void shell.kill('SIGKILL'))
  await expect.poll(() => said, { timeout: 150_000 }).toMatch(/http:\/\/127\.0\.0\.1:\d+/)
  return { shell, url: /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? '' }
}

test.each(['SIGTERM', 'SIGKILL'] as const)('%s to the shell of npm start ends the demo', options, async (signal) => {
  const { shell, url } = await startAsNpm()
  expect((await fetch(`${url}/health/live`)).status).toBe(200)
  shell.kill(signal)
  const isThere = () =>
    fetch(`${url}/health/live`).then(
      () => true,
      () => false,
    )
  await expect.poll(isThere, { timeout: 60_000 }).toBe(false)
})
