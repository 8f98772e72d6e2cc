import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { programMissing } from '../../support/needs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { reservePort } from './ports.ts'
import { startProcess } from './process.ts'

const jar = '/usr/share/java/zookeeper.jar'

export type ZooKeeper = { readonly port: number; restart(): Promise<void>; stop(): Promise<void> }

export async function zooKeeperMissing(): Promise<string | null> {
  return existsSync(jar) ? programMissing('java') : 'there is no zookeeper on this machine'
}

/** Debian's ZooKeeper on a free port, with its own data folder. */
export async function startZooKeeper(): Promise<ZooKeeper> {
  const port = await reservePort()
  const config = writeConfig(temporaryFolder(), port)
  const options = ['-Xms32m', '-Xmx96m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', jar]
  const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain'
  const launch = () => startProcess('java', [...options, main, config], () => isServing(port))
  let running = await launch()
  return {
    port,
    async restart() {
      await running.end('SIGKILL')
      running = await launch()
    },
    stop: () => running.end('SIGKILL'),
  }
}

function writeConfig(folder: string, port: number): string {
  mkdirSync(join(folder, 'data'))
  const path = join(folder, 'zoo.cfg')
  const settings = {
    tickTime: 1000,
    dataDir: join(folder, 'data'),
    clientPort: port,
    clientPortAddress: '127.0.0.1',
    maxClientCnxns: 0,
    'admin.enableServer': false,
    '4lw.commands.whitelist': 'srvr',
  }
  writeFileSync(
    path,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  return path
}

/** ZooKeeper never answers a connection that it accepts while it starts. */
const answerMs = 2000

function isServing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    let said = ''
    const socket = connect(port, '127.0.0.1', () => socket.write('srvr'))
    socket.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    socket.setTimeout(answerMs, () => socket.destroy())
    socket.on('error', () => resolve(false)).on('close', () => resolve(said.includes('Mode: standalone')))
  })
}
