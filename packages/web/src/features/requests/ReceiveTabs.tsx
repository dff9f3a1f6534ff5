import '../../css/requests.css'
import { NavLink } from 'react-router'
import { receive } from '#messages/transfers/requests.ts'
import { paths } from '../../app/paths.ts'

/** The ways to receive: one request, or a bill split among several people. */
export function ReceiveTabs() {
  return (
    <nav className="receive-tabs" aria-label={receive.ways}>
      <NavLink to={paths.receive}>{receive.request}</NavLink>
      <NavLink to={paths.split}>{receive.split}</NavLink>
    </nav>
  )
}
