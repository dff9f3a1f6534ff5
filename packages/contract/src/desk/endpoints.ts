import * as calls from './calls.ts'
import * as operators from './operators.ts'
import * as queues from './queues.ts'
import * as watch from './watch.ts'

/** All desk endpoints by name. The admin port must serve exactly these. */
export const deskEndpoints = {
  beginEnrolment: operators.beginEnrolment,
  finishEnrolment: operators.finishEnrolment,
  beginSignIn: operators.beginSignIn,
  signIn: operators.signIn,
  readMe: operators.readMe,
  signOut: operators.signOut,
  listOperators: operators.listOperators,
  disableOperator: operators.disableOperator,
  countQueues: queues.countQueues,
  listQueue: queues.listQueue,
  openDeskItem: queues.openDeskItem,
  readDeskFile: queues.readDeskFile,
  decideDeskItem: queues.decideDeskItem,
  carryOutDeskItem: queues.carryOutDeskItem,
  claimDeskItem: queues.claimDeskItem,
  handOverDeskItem: queues.handOverDeskItem,
  escalateDeskItem: queues.escalateDeskItem,
  noteDeskItem: queues.noteDeskItem,
  askProvider: queues.askProvider,
  readLog: queues.readLog,
  lookUpPerson: watch.lookUpPerson,
  startCall: calls.startCall,
  readOwnCall: calls.readOwnCall,
  endCall: calls.endCall,
  listCallAlerts: calls.listCallAlerts,
  closeCallAlert: calls.closeCallAlert,
  readTreasury: watch.readTreasury,
} as const
