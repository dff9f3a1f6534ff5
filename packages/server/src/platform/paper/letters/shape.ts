// Shapes texts: chooses a typeface's glyphs and their positions.

import {
  Blob,
  Buffer as ShapeBuffer,
  BufferFlag,
  ClusterLevel,
  Direction,
  Face,
  Font,
  type GlyphPosition,
  shape,
} from 'harfbuzzjs'

/** Positioned glyph; lengths are thousandths of the type size. */
export interface Glyph {
  readonly id: number
  /** Letters that the glyph represents; empty if another glyph of the cluster represents them. */
  readonly text: string
  /** Code points of `text`, without invisible characters. */
  readonly codePoints: readonly number[]
  /** Width in the typeface, before positioning. */
  readonly width: number
  readonly xAdvance: number
  readonly yAdvance: number
  readonly xOffset: number
  readonly yOffset: number
}

export interface Typeface {
  readonly bytes: Uint8Array
  readonly font: Font
  readonly unitsPerEm: number
  readonly codes: ReadonlySet<number>
}

export function readTypeface(bytes: Uint8Array): Typeface {
  const face = new Face(new Blob(bytes))
  return { bytes, font: new Font(face), unitsPerEm: face.upem, codes: new Set(face.collectUnicodes()) }
}

const ignorablePattern = /\p{Default_Ignorable_Code_Point}/gu

/** Returns the glyphs of a text of one direction, from left to right. */
export function shapeText({ font, unitsPerEm }: Typeface, text: string, isRightToLeft: boolean): Glyph[] {
  const buffer = new ShapeBuffer()
  buffer.setClusterLevel(ClusterLevel.MONOTONE_CHARACTERS)
  // Some typefaces give invisible characters a width, which could exceed the margin at the end of a line.
  buffer.setFlags(BufferFlag.REMOVE_DEFAULT_IGNORABLES)
  buffer.addText(text)
  buffer.guessSegmentProperties()
  buffer.setDirection(isRightToLeft ? Direction.RTL : Direction.LTR)
  shape(font, buffer)
  const glyphInfos = buffer.getGlyphInfos()
  const positions = buffer.getGlyphPositions()
  const starts = [...new Set(glyphInfos.map(({ cluster }) => cluster))].toSorted((a, b) => a - b)
  const ends = new Map(starts.map((start, index) => [start, starts[index + 1] ?? text.length]))
  const scale = 1000 / unitsPerEm
  const leadGlyphs = findLeadGlyphs(
    glyphInfos.map(({ cluster }) => cluster),
    positions,
  )
  return glyphInfos.map(({ codepoint: id, cluster }, index) => {
    const { xAdvance, yAdvance, xOffset, yOffset } = positions[index] ?? zeroAdvance
    const clusterText = leadGlyphs.has(index) ? text.slice(cluster, ends.get(cluster)) : ''
    return {
      id,
      text: clusterText,
      codePoints: Array.from(clusterText.replaceAll(ignorablePattern, ''), (letter) => letter.codePointAt(0) ?? 0),
      width: font.glyphHAdvance(id) * scale,
      xAdvance: xAdvance * scale,
      yAdvance: yAdvance * scale,
      xOffset: xOffset * scale,
      yOffset: yOffset * scale,
    }
  })
}

/** Finds the glyph that represents each cluster's letters: the first with a width, otherwise the first. */
function findLeadGlyphs(clusters: readonly number[], positions: readonly GlyphPosition[]): Set<number> {
  const leadGlyphs = new Map<number, number>()
  clusters.forEach((cluster, index) => {
    const leadIndex = leadGlyphs.get(cluster)
    const isMark = leadIndex !== undefined && positions[leadIndex]?.xAdvance === 0
    if (leadIndex === undefined || (isMark && positions[index]?.xAdvance !== 0)) leadGlyphs.set(cluster, index)
  })
  return new Set(leadGlyphs.values())
}

const zeroAdvance = { xAdvance: 0, yAdvance: 0, xOffset: 0, yOffset: 0 }

export const sumAdvances = (glyphs: readonly Glyph[]): number =>
  glyphs.reduce((width, { xAdvance }) => width + xAdvance, 0)
