/** Fails for rows whose key another row has. */
export const UNIQUE_COMBINATION = `{% test unique_combination(model, columns) %}
select {{ columns | join(', ') }}, count(*) as row_count
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1
{% endtest %}
`

/**
 * Fails for rows that name a row which does not exist; rows with a null in one of the columns name none. The columns of the other
 * table are in the same order.
 */
export const HAS_ROW = `{% test has_row(model, columns, to, to_columns) %}
select named.*
from {{ model }} as named
where {% for column in columns %}named.{{ column }} is not null and {% endfor %}not exists (
  select 1
  from {{ to }} as found
  where {% for column in columns %}found.{{ to_columns[loop.index0] }} = named.{{ column }}{% if not loop.last %} and {% endif %}{% endfor %}
)
{% endtest %}
`
