// not money: positions on a drawing, and time.
import type { Box } from '@tern/drawing/boxes'
import type { Direction } from '@tern/drawing/sphere'
import { countryName } from '../../../ui/format/country-name.ts'
import { formatTime } from '../../../ui/format/format.ts'
import { chooseView, viewBetween } from '../globe/aim.ts'
import { decodeLand } from '../globe/coast.ts'
import type { LabelPlace } from '../globe/labels.ts'
import { drawPicture, placeEndNames, type Picture } from '../globe/picture.ts'
import { type CountryCode, locateEnds, findTimeZone } from '../globe/countries.ts'
import type { View } from '../globe/view.ts'

/** Size of the drawing in the served page; see first-picture.ts. */
const drawingSize = 720
const turnMs = 700
const twoColumnWidth = 900
const maxTextWidth = 545
const headerHeight = 88
/** Coordinate for points behind the globe, outside the drawing. */
const offCanvas = -99
const clockMs = 15_000

const countryNames = (from: CountryCode, to: CountryCode): readonly [string, string] => [
  countryName(from),
  countryName(to),
]

/** Local time in a country; empty if it has several time zones. */
function localTime(country: CountryCode): string {
  const timeZone = findTimeZone(country)
  return timeZone === undefined ? '' : formatTime(new Date(), { timeZone })
}

const set = (element: Element | undefined, attributes: Record<string, number | string | undefined>) => {
  for (const [name, value] of Object.entries(attributes)) element?.setAttribute(name, String(value ?? ''))
}

/** Visible part of the drawing between the text and the price check, in the drawing's pixels. */
function measureFreeBox(globe: SVGSVGElement): Box {
  const { left, top, width, height } = globe.getBoundingClientRect()
  const textBox = globe.parentElement?.querySelector('.hero-text')?.getBoundingClientRect()
  const sheet = document.getElementById('price-check')?.getBoundingClientRect()
  const isTextBeside = innerWidth >= twoColumnWidth && textBox !== undefined
  const textWidth = isTextBeside ? Math.min(textBox.width, maxTextWidth) + 8 : 0
  const isRightToLeft = document.dir === 'rtl'
  return {
    left: Math.max(8, isTextBeside && !isRightToLeft ? textBox.left + textWidth - left : 8 - left),
    top: Math.max(16, isTextBeside ? headerHeight - (top + scrollY) : 0),
    right: Math.min(width, (isTextBeside && isRightToLeft ? textBox.right - textWidth : innerWidth) - left) - 8,
    bottom: Math.min(height, (sheet?.top ?? 0) - top) - 8,
  }
}

/** Draws into the elements of HeroMap.tsx. */
class Drawing {
  readonly globe: SVGSVGElement

  constructor(globe: SVGSVGElement) {
    this.globe = globe
  }

  /** Removes elements that only the served drawing shows. */
  clear(): void {
    for (const element of this.elements('use, .map-label-phone')) element.remove()
  }

  elements(selector: string): Element[] {
    return [...this.globe.querySelectorAll(selector)]
  }

  show(view: View, { graticule, coast, countries, arc, ends: [start, end] }: Picture): void {
    for (const circle of this.elements('.map-sea, .map-limb')) set(circle, { cx: view.x, cy: view.y, r: view.radius })
    for (const [selector, d] of [
      ['.map-graticule', graticule],
      ['.map-coast', coast],
      ['.map-country', countries],
      ['.map-arc', arc],
    ] as const)
      set(this.elements(selector)[0], { d })
    const dots = this.elements('.map-dot, .map-halo')
    for (const [index, point] of [start, end, end].entries())
      set(dots[index], { cx: point?.[0] ?? offCanvas, cy: point?.[1] ?? offCanvas })
  }

  showLabels(
    names: readonly [string, string],
    places: readonly (LabelPlace | undefined)[],
    time: string,
    ends: RouteEnds,
  ) {
    const texts = this.elements('text')
    const leaders = this.elements('.map-leader')
    const labels = [places[0] && names[0], places[1] && names[1], places[1] && time]
    for (const [index, text] of texts.entries()) {
      const { x, y } = places[Math.min(index, 1)] ?? { x: 0, y: 0 }
      set(text, { x, y })
      text.textContent = labels[index] ?? ''
    }
    for (const [index, leader] of leaders.entries()) {
      const end = places[index]?.leaderEnd
      set(leader, { d: end ? `M${ends[index]?.join(' ')}L${end.join(' ')}` : '' })
    }
  }
}

type RouteEnds = Picture['ends']

/** Land and countries as encoded by maps/land.ts. */
export interface Atlas {
  readonly land: string
  readonly countries: Readonly<Record<CountryCode, string>>
}

/** View of the globe in the served page, in window pixels. */
function readFirstView(globe: SVGSVGElement): View {
  const view = JSON.parse(globe.dataset.view ?? '') as View
  const { width, height } = globe.getBoundingClientRect()
  const scale = Math.min(width, height) / drawingSize
  return {
    ...view,
    x: (view.x - drawingSize / 2) * scale + width / 2,
    y: (view.y - drawingSize / 2) * scale + height / 2,
    radius: view.radius * scale,
  }
}

/**
 * Adds the local time to the served globe. Returns a function that turns it to another pair of countries, drawn for the
 * window size: within 700 ms, or at once with reduced motion. Draws nothing before the first turn.
 */
export function controlGlobe(globe: SVGSVGElement, atlas: Atlas, first: readonly [CountryCode, CountryCode]) {
  const drawing = new Drawing(globe)
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)')
  let pair = first
  let land: Direction[][] | undefined
  let view: View | undefined
  let frameId = 0

  const drawView = (next: View, isStill: boolean) => {
    view = next
    const freeBox = isStill ? measureFreeBox(globe) : undefined
    const countries = [...new Set(pair)].flatMap((code) => decodeLand(atlas.countries[code]))
    const picture = drawPicture(view, locateEnds(...pair), { land: (land ??= decodeLand(atlas.land)), countries })
    const names = countryNames(...pair)
    drawing.show(view, picture)
    const time = localTime(pair[1])
    const labels = freeBox ? placeEndNames(picture, names, freeBox, time !== '') : []
    drawing.showLabels(names, labels, time, picture.ends)
  }

  const chooseTargetView = () => {
    const { width, height } = globe.getBoundingClientRect()
    const targetView = chooseView(...locateEnds(...pair), { width, height }, measureFreeBox(globe))
    set(globe, { viewBox: `0 0 ${width} ${height}` })
    drawing.clear()
    return targetView
  }

  const redraw = () => {
    cancelAnimationFrame(frameId)
    drawView(chooseTargetView(), true)
  }

  const animate = () => {
    cancelAnimationFrame(frameId)
    const [before, after] = [view ?? readFirstView(globe), chooseTargetView()]
    const startedAt = performance.now()
    const step = (now: number) => {
      const share = Math.min(1, Math.max(0, now - startedAt) / turnMs)
      drawView(viewBetween(before, after, 1 - (1 - share) ** 3), share === 1)
      if (share < 1) frameId = requestAnimationFrame(step)
    }
    frameId = requestAnimationFrame(step)
  }

  const announce = () => {
    // While turning, the drawing shows neither names nor times.
    for (const time of drawing.elements('.map-time'))
      if (time.textContent || !view) time.textContent = localTime(pair[1])
  }

  announce()
  setInterval(announce, clockMs)
  addEventListener('resize', () => view && redraw())
  return (from: CountryCode, to: CountryCode) => {
    if (pair[0] === from && pair[1] === to) return
    pair = [from, to]
    if (reducedMotion.matches) redraw()
    else animate()
  }
}
