import { example } from '../price.ts'
import { chooseView } from './aim.ts'
import { drawCoast, decodeLand, drawGraticule } from './coast.ts'
import { countries, land } from './land.ts'
import { drawPicture } from './picture.ts'
import { locateEnds } from './countries.ts'

/** Size of the drawing in the served page; one unit is one pixel in a wide window. */
export const drawingSize = 720
/** Part of the drawing that is visible in the served page: below the header and above the price check. */
export const firstFreeBox = { left: 8, top: 40, right: 712, bottom: 540 }

const rings = decodeLand(land)
const tintedLand = [example.from, example.to].flatMap((code) => decodeLand(countries[code]))
const ends = locateEnds(example.from, example.to)

export const firstView = chooseView(...ends, { width: drawingSize, height: drawingSize }, firstFreeBox)
export const firstPicture = drawPicture(firstView, ends, { land: rings, countries: tintedLand })
/** Rounded to whole units to keep the page small. */
export const firstCoast = drawCoast(firstView, rings, 0).path
export const firstCountries = drawCoast(firstView, tintedLand, 0).path
export const firstGraticule = drawGraticule(firstView, 0)
