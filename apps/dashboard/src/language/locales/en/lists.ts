export const words = {
  'filter.clear': 'Clear filters',
  'filter.clearOne': 'Clear the filter {name}',
  'filter.named': '{name}:',
  'filter.none': 'Nothing matches',
  'filter.noneAbout':
    '{count, plural, one {One filter is set.} other {# filters are set.}} What lies outside of it is hidden.',
  'filter.title': 'Filters',
  'pager.newer': 'Newer',
  'pager.older': 'Older',
  'pager.title': 'Pages of the list',
  'pager.zone': 'times in {zone}',
  'status.arrived': 'Expired, money arrived',
  'status.completed': 'Completed',
  'status.expired': 'Expired',
  'status.late': 'Completed late',
  'status.processing': 'Processing',
  'status.waiting': 'Waiting',
} as const;
