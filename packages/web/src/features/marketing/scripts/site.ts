/** Script of public pages whose lines are animated; also handles a waitlist form, if there is one. */
import { controlWaitlist } from './waitlist.ts'
import { revealLines } from './reveal.ts'

controlWaitlist()
revealLines()
