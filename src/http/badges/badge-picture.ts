import { type Badge, renderSvg } from '../../badges/svg.ts'
import type { BadgeTheme, Style } from '../../badges/themes.ts'
import { memoize } from '../../cache/cache.ts'
import { etagOf } from '../output/etag.ts'

/** Text, since Node writes text together with the headers, but bytes in a separate write. */
export type Picture = { readonly body: string; readonly etag: string }

/** Renders badges through an LRU cache. */
export function createPictures(capacity = 1_000): (badge: Badge, style: Style, theme: BadgeTheme) => Picture {
  const cached = memoize<Picture>(capacity)
  return (badge, style, theme) => {
    const { label, message, tone } = badge
    return cached(`${style} ${theme} ${tone} ${message} ${label}`, () => pictureOf(renderSvg(badge, style, theme)))
  }
}

export function pictureOf(body: string): Picture {
  return { body, etag: etagOf(body) }
}

/** Whether an `Accept` header includes JSON and no image type. */
export function wantsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*') return false
  const accepted = accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .filter(([, ...params]) => !params.some((param) => /^q=0(\.0*)?$/.test(param)))
    .map(([type = '']) => type)
  return accepted.includes('application/json') && !accepted.some((type) => type === '*/*' || type.startsWith('image/'))
}
