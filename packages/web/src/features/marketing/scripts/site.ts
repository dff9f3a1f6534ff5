/** Script of public pages with a waitlist form or lines that draw themselves. */
import { controlWaitlist } from './waitlist.ts'
import { revealLines } from './reveal.ts'

controlWaitlist()
revealLines()
