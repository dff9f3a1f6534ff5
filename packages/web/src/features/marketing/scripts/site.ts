/** Script of public pages with a waitlist form or animated lines. */
import { controlWaitlist } from './waitlist.ts'
import { revealLines } from './reveal.ts'

controlWaitlist()
revealLines()
