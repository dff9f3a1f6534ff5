// Sets lines of text: splits them into runs of one typeface and direction, orders the runs visually, and breaks lines.

import bidiFactory from 'bidi-js'
import { splitClusters } from './clusters.ts'
import type { DrawnText, Face, Faces } from './faces.ts'
import { type Glyph, shapeText, sumAdvances } from './shape.ts'

/** Part of a line that one typeface draws in one direction. */
export interface GlyphRun {
  readonly file: string
  /** Drawn text, in reading order. */
  readonly text: string
  readonly isRightToLeft: boolean
  readonly glyphs: readonly Glyph[]
  /** Thousandths of the type size. */
  readonly width: number
  /** Text of the whole run for screen readers; undefined if the texts of its glyphs are read. */
  readonly said: string | undefined
}

/** Line in visual order, from left to right. */
export interface Line {
  readonly runs: readonly GlyphRun[]
  /** Thousandths of the type size. */
  readonly width: number
}

export type Direction = 'ltr' | 'rtl'

interface LinePart {
  readonly file: string
  readonly level: number
  /** Original text, if it is drawn differently; such a part is never joined with others. */
  readonly said: string | undefined
  text: string
}

const bidi = bidiFactory()
const blank = /^\p{Zs}+$/u
const space = 0x20
/** Thousandths of the type size. */
const displayTracking = -16
const displayWordSpace = 70

function splitParts(faces: Faces, text: string, face: Face, direction: Direction): LinePart[] {
  const { levels } = bidi.getEmbeddingLevels(text, direction)
  const parts: LinePart[] = []
  let at = 0
  for (const cluster of splitClusters(text)) {
    const level = levels[at] ?? 0
    at += cluster.length
    const before = parts.at(-1)
    // In right-to-left text, a space stays in the run of the word before it, so that both keep their order.
    const isEnclosedBlank =
      before?.level === level && before.said === undefined && level % 2 === 1 && blank.test(cluster)
    const drawnParts: DrawnText[] = isEnclosedBlank
      ? [{ file: before.file, text: cluster, said: undefined }]
      : faces.drawnBy(face, cluster)
    for (const { file, text: piece, said } of drawnParts) {
      const last = parts.at(-1)
      const isSame = last?.file === file && last.level === level
      if (isSame && last.said === undefined && said === undefined) last.text += piece
      else parts.push({ file, level, text: piece, said })
    }
  }
  return parts
}

/** Orders parts visually: from the deepest level up, reverses each sequence of parts of that level or deeper. */
function orderVisually(parts: readonly LinePart[]): LinePart[] {
  const reversedParts = [...parts]
  const deepest = reversedParts.reduce((maximum, { level }) => Math.max(maximum, level), 0)
  for (let level = deepest; level > 0; level -= 1) {
    for (let start = 0; start < reversedParts.length; start += 1) {
      let end = start
      while ((reversedParts[end]?.level ?? -1) >= level) end += 1
      if (end > start) reversedParts.splice(start, end - start, ...reversedParts.slice(start, end).toReversed())
      start = Math.max(start, end)
    }
  }
  return reversedParts
}

/** Sets the display face tighter, with wider word spaces. */
function addSpacing(file: string, glyphs: Glyph[]): Glyph[] {
  if (!file.startsWith('display')) return glyphs
  return glyphs.map((glyph, index) => {
    if (index === glyphs.length - 1) return glyph
    const isSpace = glyph.codePoints[0] === space
    return { ...glyph, xAdvance: glyph.xAdvance + displayTracking + (isSpace ? displayWordSpace : 0) }
  })
}

/** Returns the text that screen readers read for a whole run; undefined if they read the texts of its glyphs. */
function findActualText(
  { text, said }: LinePart,
  glyphs: readonly Glyph[],
  isRightToLeft: boolean,
): string | undefined {
  if (said !== undefined || isRightToLeft) return said
  return glyphs.every((glyph) => Array.from(glyph.text).length === 1) ? undefined : text
}

/** Sets a line of text in a face, in a paragraph of this direction. */
export function setLine(faces: Faces, text: string, face: Face, direction: Direction = 'ltr'): Line {
  const chosenFace = faces.chooseFace({ text, face })
  const runs = orderVisually(splitParts(faces, text, chosenFace, direction)).flatMap((part): GlyphRun[] => {
    const { file, level, text: drawnText } = part
    const typeface = faces.typefaces.get(file)
    if (typeface === undefined) return []
    const isRightToLeft = level % 2 === 1
    const glyphs = addSpacing(file, shapeText(typeface, drawnText, isRightToLeft))
    const actualText = findActualText(part, glyphs, isRightToLeft)
    return [{ file, text: drawnText, isRightToLeft, glyphs, width: sumAdvances(glyphs), said: actualText }]
  })
  return { runs, width: runs.reduce((sum, { width }) => sum + width, 0) }
}

/** Returns the direction of a text, that of its first letter with a strong direction. */
export const detectDirection = (text: string): Direction =>
  (bidi.getEmbeddingLevels(text, 'auto').paragraphs[0]?.level ?? 0) === 1 ? 'rtl' : 'ltr'

const words = new Intl.Segmenter('en', { granularity: 'word' })
const withoutSpaces = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u

/** Splits a paragraph into pieces between which a line may break. Spaces are at the end of a piece. */
function splitAtBreaks(paragraph: string): string[] {
  const pieces: string[] = []
  let mayEnd = false
  for (const { segment, isWordLike } of words.segment(paragraph)) {
    const isSpace = /^\s+$/u.test(segment)
    const last = pieces.at(-1)
    const isJoined =
      last === undefined || isSpace || !(mayEnd || (isWordLike === true && withoutSpaces.test(last + segment)))
    if (isJoined && last !== undefined) pieces[pieces.length - 1] = last + segment
    else pieces.push(segment)
    mayEnd = isSpace
  }
  return pieces
}

/** Counts the clusters that fit into a line; at least one, so that the caller's loop ends. */
function countFittingClusters(clusters: readonly string[], hasRoom: (text: string) => boolean): number {
  let [low, high] = [1, clusters.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2) // not money: a count of letters
    if (hasRoom(clusters.slice(0, middle).join(''))) low = middle
    else high = middle - 1
  }
  return low
}

/** Breaks a text into lines that fit. Divides a word that is longer than a line. */
export function breakLines(text: string, hasRoom: (line: string) => boolean): string[] {
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    let line = ''
    for (const piece of splitAtBreaks(paragraph)) {
      if (hasRoom((line + piece).trimEnd())) {
        line += piece
        continue
      }
      if (line !== '') lines.push(line.trimEnd())
      let rest = splitClusters(piece).flatMap((cluster) => (hasRoom(cluster) ? [cluster] : Array.from(cluster)))
      while (!hasRoom(rest.join('').trimEnd()) && rest.length > 1) {
        const count = countFittingClusters(rest, hasRoom)
        lines.push(rest.slice(0, count).join('').trimEnd())
        rest = rest.slice(count)
      }
      line = rest.join('').trimStart()
    }
    lines.push(line.trimEnd())
  }
  return lines
}
