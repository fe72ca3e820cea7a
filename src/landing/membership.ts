import type { Member, QueueState } from '../domain/state.ts';

/** The queue without the members of one number; a build that holds it is dissolved by the planner of builds. */
export function leaveQueue(queue: QueueState, number: number): QueueState {
  return { ...queue, members: queue.members.filter((member) => member.number !== number) };
}

/** The queue with a member at its end; joining twice changes nothing, a newer candidate takes the old one's place. */
export function joinQueue(queue: QueueState, member: Member): QueueState {
  const at = queue.members.findIndex((standing) => standing.number === member.number);
  if (at < 0) return { ...queue, members: [...queue.members, member] };
  if (queue.members[at]?.candidate === member.candidate) return queue;
  return { ...queue, members: queue.members.map((standing, index) => (index === at ? member : standing)) };
}
