/** The script of the landing page. The page is whole without it. */
import { revealLines } from './reveal.ts'
import { takePriceCheck } from './take-price-check.ts'
import { takeWaitlist } from './waitlist.ts'

takeWaitlist()
revealLines()
takePriceCheck()
