const [start, end, scan, comment] = [0xd8, 0xd9, 0xda, 0xfe]
// Application segments that decoders need: JFIF, the colour profile, and Adobe's colour encoding.
const keptSegments = new Map([
  [0xe0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
])

function isNeededSegment(marker: number, segment: Buffer): boolean {
  if (marker === comment) return false
  const isApplicationSegment = marker >= 0xe0 && marker <= 0xef
  const name = keptSegments.get(marker)
  return !isApplicationSegment || (name !== undefined && segment.toString('latin1', 4, 4 + name.length) === name)
}

/** Returns the end of the scan data from `from`: the next marker that does not belong to it. */
function findScanEnd(jpeg: Buffer, from: number): number {
  for (let at = jpeg.indexOf(0xff, from); at !== -1; at = jpeg.indexOf(0xff, at + 1)) {
    const next = jpeg[at + 1] ?? 0
    const isPartOfScan = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7)
    if (!isPartOfScan) return at
  }
  return jpeg.length
}

/**
 * Returns a JPEG with its picture only: no metadata, comments, or data after its end. Undefined if it is not a JPEG.
 * Format: ITU-T T.81, annex B.
 */
export function removeMetadata(jpeg: Buffer): Buffer | undefined {
  if (jpeg[0] !== 0xff || jpeg[1] !== start) return undefined
  const segments = [jpeg.subarray(0, 2)]
  let at = 2
  while (at + 4 <= jpeg.length && jpeg[at + 1] !== end) {
    if (jpeg[at] !== 0xff) return undefined
    const marker = jpeg[at + 1] ?? 0
    // Fill bytes may precede a marker.
    if (marker === 0xff) {
      at += 1
      continue
    }
    const segmentEnd = at + 2 + jpeg.readUInt16BE(at + 2)
    const next = marker === scan ? findScanEnd(jpeg, segmentEnd) : segmentEnd
    if (isNeededSegment(marker, jpeg.subarray(at, segmentEnd))) segments.push(jpeg.subarray(at, next))
    at = next
  }
  return Buffer.concat([...segments, Buffer.of(0xff, end)])
}
