/** What is shown at the moment: a zone that was chosen or that the URL names, or null for that of this computer. */
let shown: string | null = null
let own = { offset: Number.NaN, name: 'UTC' }

/** The zone that times and days are shown in. */
export function readerZone(): string {
  return shown ?? ownZone()
}

/** Shows times in a zone, or with null in that of this computer. */
export function showZone(zone: string | null): void {
  shown = zone
}

/** The zone of this computer, which may travel while a tab is open. */
export function ownZone(): string {
  const offset = new Date().getTimezoneOffset()
  if (offset !== own.offset) own = { offset, name: Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC' }
  return own.name
}

/** Whether the browser knows a zone by that name. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return !/^[+-]/.test(name)
  } catch {
    return false
  }
}
