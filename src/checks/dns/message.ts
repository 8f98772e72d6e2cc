import { randomInt } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { type Answer, decode, encode, type Question, RECURSION_DESIRED } from 'dns-packet'
import { ProbeFault } from '../probe/failures.ts'
import { serviceText } from './service-binding.ts'

type DnsRecord = { readonly name: string; readonly type: string; readonly ttl: number; readonly data: string }
export type DnsAnswer = { readonly code: string; readonly records: readonly DnsRecord[] }

/** Names that dns-packet gives to record types which it does not support. */
const numericTypes: Readonly<Record<string, string>> = { HTTPS: 'UNKNOWN_65' }
const udpPayloadSize = 1232

export function encodeQuestion(query: string, recordType: string): Buffer {
  const name = domainName(query)
  const question = { name, type: (numericTypes[recordType] ?? recordType) as Question['type'] }
  const extension = {
    type: 'OPT',
    name: '.',
    udpPayloadSize,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  } as const
  return encode({
    type: 'query',
    id: randomInt(65_536),
    flags: RECURSION_DESIRED,
    questions: [question],
    additionals: [{ ...extension, options: [] }],
  })
}

/** Whether a message is a response with the id of this question. */
export function isAnswerTo(message: Buffer, question: Buffer): boolean {
  return message.length >= 12 && message.readUInt16BE(0) === question.readUInt16BE(0) && ((message[2] ?? 0) & 0x80) !== 0
}

export function isTruncated(message: Buffer): boolean {
  return ((message[2] ?? 0) & 0x02) !== 0
}

export function parseAnswer(message: Buffer): DnsAnswer {
  return { code: responseCode((message[3] ?? 0) & 0x0f), records: decoded(message).flatMap(recordOf) }
}

const responseCodes = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
  'NOTZONE',
]

function responseCode(code: number): string {
  return responseCodes[code] ?? `RCODE${code}`
}

function decoded(message: Buffer): readonly Answer[] {
  try {
    return decode(message).answers ?? []
  } catch {
    throw new ProbeFault('the answer is not a valid DNS message')
  }
}

function recordOf(answer: Answer): readonly DnsRecord[] {
  if (answer.type === 'OPT') return []
  const named = Object.entries(numericTypes).find(([, alias]) => alias === answer.type)?.[0]
  return [{ name: answer.name, type: named ?? answer.type, ttl: answer.ttl ?? 0, data: dataText(answer) }]
}

/** A record's data in zone file notation; long text joined, without quotes. */
function dataText({ type, data }: Exclude<Answer, { type: 'OPT' }>): string {
  if (type === 'MX') return `${data.preference ?? 0} ${data.exchange}`
  if (type === 'SOA') return [data.mname, data.rname, data.serial, data.refresh, data.retry, data.expire, data.minimum].join(' ')
  if (type === 'TXT') return [data].flat().map(String).join('')
  if (typeof data === 'string') return data
  return Buffer.isBuffer(data) ? serviceText(data) : JSON.stringify(data)
}

function domainName(query: string): string {
  const ascii = /[^\x00-\x7f]/.test(query) ? domainToASCII(query) : query
  const name = ascii.replace(/\.$/, '')
  const labels = name.split('.')
  if (query !== '.' && (name.length > 253 || labels.some((label) => label.length === 0 || label.length > 63))) {
    throw new ProbeFault(`${JSON.stringify(query)} is not a domain name`)
  }
  return name || '.'
}
