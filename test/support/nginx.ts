import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

const temporaryPaths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path temp/${name};`).join('\n')

/** Runs nginx with these servers until the test ends, and waits until `url` is served. */
export async function startNginx(servers: string, url: string): Promise<void> {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'temp'))
  const config = `daemon off; master_process off; pid nginx.pid; error_log stderr;
events {}
http { access_log off; ${temporaryPaths}
${servers}
}`
  writeFileSync(join(folder, 'nginx.conf'), config)
  const nginx = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  nginx.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const exited = once(nginx, 'exit')
  onTestFinished(async () => {
    nginx.kill()
    await exited
  })
  while (!(await isServed(url))) {
    if (nginx.exitCode !== null) throw new Error(`nginx ended: ${said}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function isServed(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}
