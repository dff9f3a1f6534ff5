const gap = 10

/**
 * Where labels of one row begin, in pixels: at their part of the bar, or as near to it as leaves each label whole and within
 * the bar. The last ones for which there is no room are undefined. `starts` are where their parts begin, ascending.
 */
export function labelStarts(starts: readonly number[], labelWidth: number, width: number): (number | undefined)[] {
  const room = Math.floor((width + gap) / (labelWidth + gap))
  const places = starts.slice(0, room)
  for (let index = 1; index < places.length; index += 1) {
    places[index] = Math.max(places[index] ?? 0, (places[index - 1] ?? 0) + labelWidth + gap)
  }
  let limit = width
  for (let index = places.length - 1; index >= 0; index -= 1) {
    places[index] = Math.min(places[index] ?? 0, limit - labelWidth)
    limit = (places[index] ?? 0) - gap
  }
  return starts.map((_, index) => places[index])
}
