import { example } from '../price.ts'
import { aimAt } from './aim.ts'
import { drawCoast, decodeLand, drawGraticule } from './coast.ts'
import { countries, land } from './land.ts'
import { drawPicture } from './picture.ts'
import { locateEnds } from './countries.ts'

/** Size of the drawing in the served page; one unit is one pixel in a wide window. */
export const drawingSize = 720
/** Visible part of the drawing there: below the header and above the price check. */
export const firstRoom = { left: 8, top: 40, right: 712, bottom: 540 }

const rings = decodeLand(land)
const tinted = [example.from, example.to].flatMap((code) => decodeLand(countries[code]))
const ends = locateEnds(example.from, example.to)

export const firstView = aimAt(...ends, { width: drawingSize, height: drawingSize }, firstRoom)
export const firstPicture = drawPicture(firstView, ends, { land: rings, countries: tinted })
/** Rounded to whole units to keep the page small. */
export const firstCoast = drawCoast(firstView, rings, 0).path
export const firstCountries = drawCoast(firstView, tinted, 0).path
export const firstGraticule = drawGraticule(firstView, 0)
