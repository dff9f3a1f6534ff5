// Addresses of tiles and entry bundles (c2sp.org/tlog-tiles).

import { FormatError } from './format-error.ts'
import { isTreeSize } from './merkle.ts'

/** Hashes in a full tile, and entries in a full bundle. */
export const tileWidth = 256

export interface Tile {
  /** Height of the tile in the tree, in steps of eight levels; 'entries' for a bundle of entries. */
  readonly level: number | 'entries'
  readonly index: number
  /** Number of hashes or entries: 256 if full, 1 to 255 if partial. */
  readonly width: number
}

/** Formats the address of a tile below the log's prefix, such as `tile/0/x001/234.p/17`. */
export function formatTilePath({ level, index, width }: Tile): string {
  const isLevel = level === 'entries' || (Number.isSafeInteger(level) && level >= 0 && level <= 63)
  if (!isLevel || !isTreeSize(index) || !Number.isSafeInteger(width) || width < 1 || width > tileWidth)
    throw new RangeError('no such tile')
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? []
  const name = groups.map((group, place) => (place === groups.length - 1 ? group : `x${group}`)).join('/')
  return `tile/${level}/${name}${width === tileWidth ? '' : `.p/${width}`}`
}

/** Parses the address of a tile; refuses every spelling other than that of formatTilePath. */
export function parseTilePath(path: string): Tile {
  const [, level = '', name = '', width] =
    /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path) ?? []
  if (level === '') throw new FormatError('tile path is malformed')
  const tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(name.replaceAll(/\D/g, '')),
    width: width === undefined ? tileWidth : Number(width),
  } as const
  if (
    !isTreeSize(tile.index) ||
    tile.width < 1 ||
    tile.width > tileWidth ||
    (tile.level !== 'entries' && tile.level > 63)
  )
    throw new FormatError('tile path is out of range')
  if (formatTilePath(tile) !== path) throw new FormatError('tile path is not canonical')
  return tile
}
