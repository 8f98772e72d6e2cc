import { styleText } from 'node:util'

export type PaintTone = 'good' | 'fair' | 'bad' | 'faint' | 'strong'

/** Colours a text. Returns it unchanged without colour support. */
export type Paint = (tone: PaintTone, text: string) => string

export function paintFor(stream: NodeJS.WriteStream): Paint {
  return stream.isTTY && stream.hasColors() ? (tone, text) => styleText(styles[tone], text) : plain
}

export const plain: Paint = (_, text) => text

const styles = { good: 'green', fair: 'yellow', bad: 'red', faint: 'gray', strong: 'bold' } as const
