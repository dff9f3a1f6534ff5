/** Script of public pages with a waitlist form or lines that draw themselves. */
import { takeWaitlist } from './waitlist.ts'
import { revealLines } from './reveal.ts'

takeWaitlist()
revealLines()
