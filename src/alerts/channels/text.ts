import { dayMs, hourMs, isoText, minuteMs } from '../../time.ts'
import { fitted, type Line, oneLine, type TextFormat } from './fit.ts'
import type { AlertEvent, AlertMessage, MessageSubject, Severity } from './message.ts'

type MessageLink = { readonly label: string; readonly url: string }

/** The readable content of a message, before a channel escapes and cuts it. */
export type MessageText = {
  readonly title: string
  readonly icon: string
  readonly tone: 'failure' | 'warning' | 'info' | 'success'
  readonly lines: readonly Line[]
  /** The most important one first. */
  readonly links: readonly MessageLink[]
}

const maxTitleLength = 250
const maxNameLength = 200
const maxReasonLength = 600
const maxNames = 10
const maxUrlLength = 2000

export function messageText(message: AlertMessage): MessageText {
  const tone = toneOf(message)
  return {
    title: oneLine(message.title, maxTitleLength),
    icon: message.event === 'test' ? '🔔' : message.event === 'flapping' ? '🔁' : icons[tone],
    tone,
    lines: [...noteLines(message), ...subjectLines(message), ...moreLines(message), originLine(message)],
    links: linksOf(message),
  }
}

/** The whole message as one text for a chat. */
export function chatText(text: MessageText, format: TextFormat, max: number): string {
  return fitted([[{ text: `${text.icon} ${text.title}`, bold: true }], ...text.lines], linkLines(text), format, max)
}

/** Without the title, for channels that show it separately. */
export function bodyText(text: MessageText, format: TextFormat, max: number): string {
  return fitted(text.lines, linkLines(text), format, max)
}

function linkLines({ links }: MessageText): readonly Line[] {
  return links.map(({ label, url }) => [{ text: label, url }])
}

/** Whether everything that a message is about has ended. */
export function isOver({ event, incident, subjects }: Pick<AlertMessage, 'event' | 'incident' | 'subjects'>): boolean {
  if (event === 'settled') return incident.closedAt !== null || (subjects.length > 0 && subjects.every(({ until }) => until !== null))
  return event === 'close' || event === 'missed'
}

const icons: Readonly<Record<MessageText['tone'], string>> = { failure: '🔴', warning: '🟠', info: '🔵', success: '✅' }
const tones: Readonly<Record<Severity, MessageText['tone']>> = { critical: 'failure', error: 'failure', warning: 'warning', info: 'info' }

function toneOf(message: AlertMessage): MessageText['tone'] {
  if (message.event === 'test') return 'info'
  return isOver(message) ? 'success' : tones[message.severity]
}

const notes: Readonly<Partial<Record<AlertEvent, string>>> = {
  missed: 'It started and ended before this channel could be notified.',
  flapping: 'It is flapping. Single changes are not sent until it settles.',
  settled: 'It has settled: changes are sent again.',
  test: 'This channel works: alerts will arrive here.',
}

function noteLines({ event, reminder }: AlertMessage): readonly Line[] {
  const note = reminder === null ? notes[event] : `Reminder ${reminder}: no change.`
  return note === undefined ? [] : [[{ text: note }]]
}

function subjectLines(message: AlertMessage): readonly Line[] {
  const isSingle = message.subjects.length === 1 && message.subjectCount <= 1
  return message.subjects.flatMap((subject) => {
    const facts = factsOf(subject, message).map((text): Line => [{ text }])
    return isSingle ? facts : [headingOf(subject, message), ...facts, ...subjectLinks(subject)]
  })
}

function headingOf({ name, isNew }: MessageSubject, { event }: AlertMessage): Line {
  return [{ text: oneLine(name, maxNameLength), bold: true }, ...(isNew && event === 'update' ? [{ text: ' (new)' }] : [])]
}

/** Facts about a subject: since when, where, why, and what depends on it. */
function factsOf(subject: MessageSubject, message: AlertMessage): readonly string[] {
  const { locations, reason, certificateDays, dependents, dependentCount = dependents.length, until } = subject
  return [
    timesText(subject, message),
    locations && locations.down.length > 0 ? `${until === null ? 'At' : 'Last at'} ${placesText(locations)}` : null,
    reason ? `${until === null ? 'Reason' : 'Most frequent reason'}: ${oneLine(reason, maxReasonLength)}` : null,
    certificateDays === null ? null : certificateText(certificateDays),
    dependents.length > 0 ? `Affects ${countOf(dependentCount, 'check')} that depend on it: ${listText(dependents, dependentCount)}` : null,
  ].filter((fact) => fact !== null)
}

function timesText({ since, until }: MessageSubject, { decidedAt, event }: AlertMessage): string {
  if (until !== null) return `From ${timeText(since)} to ${timeText(until)}: lasted ${lengthText(until - since)}`
  const length = decidedAt - since >= minuteMs && event !== 'close' ? `, for ${lengthText(decidedAt - since)}` : ''
  return `Since ${timeText(since)}${length}`
}

function placesText({ down, known }: NonNullable<MessageSubject['locations']>): string {
  return `${down.length} of ${countOf(Math.max(known, down.length), 'location')}: ${listText(down)}`
}

function certificateText(days: number): string {
  if (days < 0) return `The certificate expired ${countOf(-days, 'day')} ago`
  return days === 0 ? 'The certificate expires today' : `The certificate expires in ${countOf(days, 'day')}`
}

function moreLines({ subjects, subjectCount }: AlertMessage): readonly Line[] {
  const more = subjectCount - subjects.length
  return more > 0 && subjects.length > 0 ? [[{ text: `and ${more} more` }]] : []
}

function originLine({ account, rule, severity }: AlertMessage): Line {
  return [{ text: `${oneLine(account.name, maxNameLength)} · rule ${oneLine(rule, maxNameLength)} · ${severity}` }]
}

function linksOf(message: AlertMessage): readonly MessageLink[] {
  const { links, subjects, subjectCount } = message
  const [first] = subjects
  const single = subjects.length === 1 && subjectCount <= 1 ? first?.links : undefined
  return [
    link('Acknowledge', isOver(message) ? null : links.acknowledge),
    link('Run', single?.run),
    link('Check', single?.check),
    link('Alert', links.incident),
  ].flat()
}

function subjectLinks({ links }: MessageSubject): readonly Line[] {
  const spans = [link('Run', links.run), link('Check', links.check)].flat().map(({ label, url }) => ({ text: label, url }))
  return spans.length === 0 ? [] : [spans.flatMap((span, index) => (index === 0 ? [span] : [{ text: ' · ' }, span]))]
}

/** Accepts only http and https URLs, and encodes every character that could end a link. */
function link(label: string, url: string | null | undefined): readonly MessageLink[] {
  if (url === null || url === undefined || url.length > maxUrlLength || !/^https?:/i.test(url) || !URL.canParse(url)) return []
  const href = new URL(url).href.replace(/[\s<>"'|()[\]\\`{}^]/g, hexOf)
  return href.length > maxUrlLength ? [] : [{ label, url: href }]
}

function hexOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

function listText(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, maxNames).map((name) => oneLine(name, maxNameLength))
  return count > shown.length ? `${shown.join(', ')} and ${count - shown.length} more` : shown.join(', ')
}

const countOf = (count: number, one: string) => `${count.toLocaleString('en-US')} ${one}${count === 1 ? '' : 's'}`

/** `2026-11-17 10:02 UTC` */
export function timeText(time: number): string {
  return `${isoText(time).slice(0, 16).replace('T', ' ')} UTC`
}

/** In its two largest units. */
function lengthText(ms: number): string {
  if (ms < 1000) return 'less than 1 s'
  if (ms < minuteMs) return `${Math.floor(ms / 1000)} s`
  const parts = [
    [Math.floor(ms / dayMs), 'd'],
    [Math.floor(ms / hourMs) % 24, 'h'],
    [Math.floor(ms / minuteMs) % 60, 'min'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}
