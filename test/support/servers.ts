import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http, { type RequestListener } from 'node:http'
import https from 'node:https'
import net, { type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import tls from 'node:tls'
import { reservePort } from '../clickhouse/engines/ports.ts'
import { atEnd } from './at-end.ts'

const pem = (name: string) => readFileSync(new URL(`certificates/test-only-${name}.pem`, import.meta.url))

export const certificate = { key: pem('localhost.key'), cert: pem('localhost.cert') }
export const expiredCertificate = { key: pem('localhost.key'), cert: pem('expired.cert') }

/** Whether this machine has IPv6 on loopback. */
export const hasIpv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'))

/** Listens on a free loopback port until the test or the file ends. */
export async function listening(server: net.Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as net.AddressInfo).port
}

export const httpServer = (listener: RequestListener, host?: string) => listening(http.createServer(listener), host)
export const httpsServer = (listener: RequestListener, options = certificate) => listening(https.createServer(options, listener))
export const tcpServer = (onSocket: (socket: Socket) => void, host?: string) => listening(net.createServer(onSocket), host)

/** A TLS server that delays its handshake. */
export async function slowTlsServer(delayMs: number, listener: RequestListener): Promise<number> {
  const inner = http.createServer(listener)
  return tcpServer((plain) => {
    plain.pause()
    setTimeout(() => {
      const socket = new tls.TLSSocket(plain, { isServer: true, ...certificate })
      socket.on('error', () => {})
      inner.emit('connection', socket)
    }, delayMs)
  })
}

/** A loopback port without a listener. On Linux, no listener can appear there while this process runs. */
export async function closedPort(): Promise<number> {
  if (process.platform === 'linux') return reservePort()
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as net.AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A loopback port that neither accepts nor rejects connections: its process is suspended and its backlog is full. */
export async function blackHolePort(): Promise<number> {
  const program = `
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:fs').writeSync(1, String(server.address().port))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    })`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  atEnd(() => void child.kill('SIGKILL'))
  const [port] = await once(child.stdout, 'data')
  const fillers = Array.from({ length: 8 }, () => net.connect(Number(port), '127.0.0.1').on('error', () => {}))
  atEnd(() => {
    for (const filler of fillers) filler.destroy()
  })
  await new Promise((resolve) => setTimeout(resolve, 100))
  return Number(port)
}
