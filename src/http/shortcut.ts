import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type PlainRequest, plainRequestReader } from './plain-request.ts'

export type Shortcut = {
  /** How requests begin that may take it. */
  readonly line: string
  /**
   * Answers requests that have come together, each in its turn; null for one that must go the long way. May fail wherever
   * doing it again does no harm: then all of them go the long way.
   */
  readonly answer: (requests: readonly PlainRequest[]) => Promise<readonly (Answer | null)[]>
}
/** Its fields as `headerLines` writes them. */
export type Answer = { readonly headers: string; readonly body: string }

/** A request that comes in pieces is waited for so long. */
const patienceMs = 1000

/**
 * Answers the plainest requests of one kind straight from their connection, in a third of the time that a full parser of HTTP
 * and a router take. Where a request is not plain, or anything goes wrong, the connection is handed to those with every byte
 * that is not answered yet, and stays with them; only one whose sender has closed its side is closed instead.
 */
export function installShortcut(app: FastifyInstance, shortcut: Shortcut): void {
  const { server } = app
  const theLongWay = server.listeners('connection')
  const firstLine = Buffer.from(shortcut.line)
  const guests = new Map<Socket, Guest>()
  let closing = false
  const ask = together(shortcut.answer)
  const handOver = (socket: Socket, unanswered: Buffer | null) => {
    guests.delete(socket)
    socket.setTimeout(0).pause()
    if (unanswered) socket.unshift(unanswered)
    for (const listener of theLongWay) listener.call(server, socket)
    socket.resume()
  }
  server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    guests.set(socket, attend(socket, { firstLine, ask, handOver, isClosing: () => closing, server }))
    socket.once('close', () => guests.delete(socket))
  })
  app.addHook('preClose', async () => {
    closing = true
    for (const { closeIfIdle } of guests.values()) closeIfIdle()
  })
}

type Tell = (answer: Answer | null) => void
type Waiting = { readonly request: PlainRequest; readonly tell: Tell }

/** So many turns of the event loop are waited for while each of them brings more requests. */
const mostTurns = 8
/** So many answers are sent in one turn. */
const mostInOneTurn = 8

/** Lets requests that arrive at about the same time be answered together: what that costs is shared by them. */
function together(answerAll: Shortcut['answer']): (request: PlainRequest, tell: Tell) => void {
  const waiting: Waiting[] = []
  const gather = (seen: number, turns: number) => {
    if (waiting.length > seen && turns < mostTurns) setImmediate(gather, waiting.length, turns + 1)
    else void next()
  }
  const next = async () => {
    const some = waiting.splice(0)
    const answers = await answerAll(some.map(({ request }) => request)).catch(() => [])
    tellFrom(0, some, answers)
  }
  /** Between some answers and the next others get a turn: to send many takes longer than to answer a question. */
  const tellFrom = (first: number, some: readonly Waiting[], answers: readonly (Answer | null)[]) => {
    const end = Math.min(first + mostInOneTurn, some.length)
    for (let i = first; i < end; i++) some[i]?.tell(answers[i] ?? null)
    if (end < some.length) setImmediate(tellFrom, end, some, answers)
  }
  return (request, tell) => {
    if (waiting.push({ request, tell }) === 1) setImmediate(gather, 0, 0)
  }
}

type Guest = { readonly closeIfIdle: () => void }

type House = {
  readonly firstLine: Buffer
  readonly ask: (request: PlainRequest, tell: Tell) => void
  readonly handOver: (socket: Socket, unanswered: Buffer | null) => void
  readonly isClosing: () => boolean
  readonly server: FastifyInstance['server']
}

function attend(socket: Socket, { firstLine, ask, handOver, isClosing, server }: House): Guest {
  const stays = `keep-alive\r\nKeep-Alive: timeout=${Math.floor(server.keepAliveTimeout / 1000)}`
  const read = plainRequestReader(firstLine)
  let unanswered: Buffer | null = null
  /** Since when a request is waited for whose first bytes are there. */
  let since = 0
  let state: 'listening' | 'answering' | 'draining' = 'listening'

  const leave = () => {
    socket.off('data', hear).off('end', end).off('timeout', tire).off('error', ignore)
    if (socket.readableEnded) socket.destroy()
    else if (!socket.destroyed) handOver(socket, unanswered)
  }
  const hear = (piece: Buffer) => {
    unanswered = unanswered ? Buffer.concat([unanswered, piece]) : piece
    if (state === 'listening') advance()
    else socket.pause()
  }
  const advance = () => {
    if (!unanswered) return
    if (socket.writableNeedDrain) return drain()
    const request = read(unanswered)
    if (request === null || (request === 'partial' && isOverdue())) return leave()
    if (request === 'partial') return
    since = 0
    state = 'answering'
    ask(request, (answer) => (answer ? reply(answer, request.length) : leave()))
  }
  const isOverdue = () => {
    since ||= performance.now()
    return performance.now() - since > patienceMs
  }
  const reply = (answer: Answer, length: number) => {
    unanswered = unanswered && unanswered.length > length ? unanswered.subarray(length) : null
    const last = isClosing() || (socket.readableEnded && !unanswered)
    send(socket, answer, last ? 'close' : stays)
    if (last) return socket.destroySoon()
    if (socket.timeout !== server.keepAliveTimeout) socket.setTimeout(server.keepAliveTimeout)
    listen()
  }
  const listen = () => {
    state = 'listening'
    if (unanswered) socket.resume()
    advance()
  }
  /** Who does not read its answers gets no more of them. */
  const drain = () => {
    state = 'draining'
    socket.once('drain', listen)
  }
  const end = () => {
    if (state === 'listening') socket.end()
  }
  const tire = () => {
    if (state === 'listening' && unanswered) leave()
    else closeIfIdle()
  }
  const closeIfIdle = () => {
    if (state !== 'answering') socket.destroy()
  }
  socket.setTimeout(server.headersTimeout)
  socket.on('data', hear).on('end', end).on('timeout', tire).on('error', ignore)
  return { closeIfIdle }
}

const ignore = () => {}

export function headerLines(headers: Readonly<Record<string, string | number>>): string {
  let lines = ''
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`
  return lines
}

function send(socket: Socket, { headers, body }: Answer, connection: string): void {
  const length = Buffer.byteLength(body)
  const head = `HTTP/1.1 200 OK\r\n${headers}content-length: ${length}\r\nDate: ${httpDate()}\r\nConnection: ${connection}\r\n\r\n`
  socket.write(head + body, length === body.length ? 'latin1' : 'utf8')
}

let second = 0
let date = ''

/** The date as HTTP writes it; made anew once a second. */
function httpDate(): string {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) date = new Date(now * 1000).toUTCString()
  second = now
  return date
}
