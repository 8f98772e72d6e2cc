import { type Badge, renderSvg } from '../../badges/svg.ts'
import type { Style, Theme } from '../../badges/themes.ts'
import { memoize } from '../../cache/memoize.ts'
import { etagOf } from './etag.ts'

export type Picture = { readonly body: string; readonly etag: string }

/** Draws badges, each once as long as it is among the recent ones. */
export function createPictures(most = 1_000): (badge: Badge, style: Style, theme: Theme) => Picture {
  const drawn = memoize<Picture>(most)
  return (badge, style, theme) => {
    const { label, message, tone } = badge
    return drawn(`${style} ${theme} ${tone} ${message} ${label}`, () => pictureOf(renderSvg(badge, style, theme)))
  }
}

export function pictureOf(body: string): Picture {
  return { body, etag: etagOf(body) }
}

/** Whether an `Accept` asks for JSON and would not take an image. */
export function wantsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*') return false
  const taken = accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .filter(([, ...params]) => !params.some((param) => /^q=0(\.0*)?$/.test(param)))
    .map(([type = '']) => type)
  return taken.includes('application/json') && !taken.some((type) => type === '*/*' || type.startsWith('image/'))
}
