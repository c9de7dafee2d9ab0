import { useQuery } from '@tanstack/react-query';
import { may } from '../api/permission.ts';
import { teamQuery } from '../api/queries.ts';
import { useAccount, useMe } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';

/** Names of people by code, as far as the reader may see them. */
export function usePersonNames(): (code: string) => string {
  const t = useWords();
  const me = useMe();
  const { account, role } = useAccount();
  const { data } = useQuery({ ...teamQuery(account), enabled: may(role, 'team.see') });
  return (code) => {
    if (code === me.person) return me.name;
    if (code === 'operator') return t('methods.operator');
    return data?.members.find(({ person }) => person === code)?.name ?? code;
  };
}
